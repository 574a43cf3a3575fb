"""What ``draftproof audit --help`` says before and after the options."""

from __future__ import annotations

DESCRIPTION = """\
Audit a decoder: compute the exact law of what it emits on toy models, and compare it with the
target's own. Every random decision is followed both ways, so a verdict never rests on sampling.

SUBJECT is
  (nothing)          the built-in algorithms, then a survey of the installed transformers, whose
                     result is printed but never changes the exit code
  builtin            every built-in algorithm; builtin:NAME one of autoregressive, exact-match,
                     standard, block, union, slem, slrs, tli
  example            known-lossy variants; example:NAME one of them (try it: this is what a fault
                     looks like)
  path/file.py:name  a callable of yours, or package.module:name, with --as rule, generate,
                     batch_rule, kernel or transformers (docs/auditing-your-code.md); it runs in a
                     process of its own, for 120 s at most unless --budget says otherwise
  transformers       unmodified generate() of the installed transformers, every route under every
                     setting (minutes); transformers:ROUTE one route; --quick a selection;
                     --releases LIST release by release (docs/transformers.md)
  vllm               the samplers of the vllm releases that `make vllm` fetched, or of an installed
                     one; vllm:NAME one of them, vllm:NAME@VERSION in one release (docs/vllm.md)

Engines that are no Python functions: --harness for a rule in any language that answers JSON lines
(docs/harness.md); --samples, --server and --command for what is known by samples alone, LOSSY or
UNDECIDED and never LOSSLESS (docs/black-boxes.md).
"""

EPILOG = """\
examples:
  draftproof audit
  draftproof audit builtin:slrs --pair base --lookahead 2 --horizon 4 --json -
  draftproof audit builtin --random 25 --seed 7      random pairs; a failure is shrunk
  draftproof audit example:resample-from-p --pair base --lookahead 1
  draftproof audit sampler.py:verify --as rule       your own rejection sampler
  draftproof audit call.py:assisted --as transformers   your own call of generate()
  draftproof audit transformers:assisted --junit report.xml
  draftproof audit --harness "node sampler.mjs"      a rule in another language
  draftproof audit --samples replies.jsonl --due contexts
  draftproof audit --server http://127.0.0.1:8000 --prompt '[0]' --draws 4000

verdicts and exit codes:
  LOSSLESS 0   the distance is exactly zero, or within the stated tolerance for float subjects
  RELAXED  0   lossy, and declared so with --relaxed
  LOSSY    1   with the smallest counterexample found
  UNDECIDED 3  a random call that is not modelled, or a budget that was spent; never a guess
  2            bad usage or bad input, or no check applied
"""
