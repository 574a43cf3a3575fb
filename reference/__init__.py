"""The reference: the algorithms as plain programs over one source of chance.

Each algorithm is a function of a `Pair`, a context and a `Chance`, one file each, parallel to each
other and to the paper (Timor et al., arXiv 2502.05202): `autoregressive`, `exact_match`, `standard`
(Algorithm 5), `block_verification`, `union` (Algorithm 1), `slem` (2), `slrs` (3), `tli` (4). What
stands behind the `Chance` decides what running one means: a `Sampler` generates, a `CoinTape`
replays, and `exact_law` enumerates every branch. `programs` names them with their settings;
`rounds.generate` is the loop around them. Nothing here imports the rest of the project, nor torch.
"""

from .autoregressive import autoregressive_round
from .block_verification import block_acceptance, block_round
from .chance import Chance, CoinTape, CoinTapeError, Sampler, Step
from .distribution import Distribution, DistributionError, ExactDistribution, total_variation
from .enumeration import Branch, DivergenceError, Leaf, branches, exact_law, expectation
from .exact import Rational, fraction, fraction_text, rational
from .exact_match import exact_match_acceptance, exact_match_round
from .models import Ids, LanguageModel
from .pair import EmptyIntersectionError, Pair, PairError
from .programs import ALGORITHMS, Program, forms, program
from .psi import CandidateLaw, candidate_law, psi
from .psi_bounds import BoundedPsi
from .psi_bytes import BytePsi
from .psi_lazy import LazyPsi
from .psi_states import states_psi
from .psi_tree import DraftTree, Work, tree_law
from .rounds import Generation, Round, generate
from .slem import slem_acceptance, slem_round
from .slrs import slrs_acceptance, slrs_round
from .slrs_block import slrs_block_kept_round, slrs_block_round
from .standard import standard_acceptance, standard_round
from .stop_rules import Characters, Fixed, StopRule, stop_rule
from .tli import tli_acceptance, tli_round
from .token_rules import Determined, Longest, Lookup, Tokens
from .tokenizers import EncodeError, Tokenizer, TokenizerLaws, inexpressible, map_tokens
from .union import union_acceptance, union_round

__all__ = [
    "ALGORITHMS",
    "BoundedPsi",
    "Branch",
    "BytePsi",
    "CandidateLaw",
    "Chance",
    "Characters",
    "CoinTape",
    "CoinTapeError",
    "Determined",
    "Distribution",
    "DistributionError",
    "DivergenceError",
    "DraftTree",
    "EmptyIntersectionError",
    "EncodeError",
    "ExactDistribution",
    "Fixed",
    "Generation",
    "Ids",
    "LanguageModel",
    "LazyPsi",
    "Leaf",
    "Longest",
    "Lookup",
    "Pair",
    "PairError",
    "Program",
    "Rational",
    "Round",
    "Sampler",
    "Step",
    "StopRule",
    "Tokenizer",
    "TokenizerLaws",
    "Tokens",
    "Work",
    "autoregressive_round",
    "block_acceptance",
    "block_round",
    "branches",
    "candidate_law",
    "exact_law",
    "exact_match_acceptance",
    "exact_match_round",
    "expectation",
    "forms",
    "fraction",
    "fraction_text",
    "generate",
    "inexpressible",
    "map_tokens",
    "program",
    "psi",
    "rational",
    "slem_acceptance",
    "slem_round",
    "slrs_acceptance",
    "slrs_block_kept_round",
    "slrs_block_round",
    "slrs_round",
    "standard_acceptance",
    "standard_round",
    "states_psi",
    "stop_rule",
    "tli_acceptance",
    "tli_round",
    "total_variation",
    "tree_law",
    "union_acceptance",
    "union_round",
]
