"""Samplers of vLLM as subjects of the audit: ``vllm:NAME``, from releases that are not installed.

Importing this package imports neither torch nor Triton nor vLLM; `survey.survey_vllm` does the
work in a process of its own, and `releases` fetches what it needs. What is reached, and what is not
without a GPU, is in docs/vllm.md.
"""
