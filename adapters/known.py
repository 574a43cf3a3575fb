"""Why a result is what it is: mechanisms, each as read in the sources of the releases it names.

A result that is LOSSY and has no mechanism here is reported without one. A mechanism is given to a
result when its case was built to show it (`Case.shows`) and the release is among those read, or
when the run itself shows it: ids past an end, past the length, a head cut in another order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .routes.case import Case

Release = tuple[int, int, int]
_ALWAYS: tuple[Release, Release] = ((0, 0, 0), (999, 0, 0))


@dataclass(frozen=True)
class Mechanism:
    """What a release does, and why its law is another one or why it raises.

    Attributes:
        slug: names it in `Case.shows`.
        classes: of the fault, the likeliest first.
        short: one clause, for reports.
        paragraph: for the documentation.
        script: file in docs/scripts/transformers that shows it without this project, if any.
        routes: on which it is known; empty for any.
        releases: first and last in which it was read or is known, both included.
        crash: whether it raises, rather than giving another law.
    """

    slug: str
    classes: tuple[str, ...]
    short: str
    paragraph: str
    script: str | None = None
    routes: tuple[str, ...] = ()
    releases: tuple[Release, Release] = _ALWAYS
    crash: bool = False

    def holds_in(self, release: Release) -> bool:
        """Whether it is known of a release."""
        first, last = self.releases
        return first <= release <= last


_LIST = (
    Mechanism(
        "stop-missed",
        ("stopping",),
        "stopping criteria are asked once a block, about its last token, so a stop inside an "
        "accepted block is passed over",
        "The loop of assisted generation appends a whole block of accepted drafts and the final "
        "token, and only then calls the stopping criteria, once, on the sequence as it is. "
        "Criteria look at its end, as they are meant to in plain `generate()`, which asks them "
        "after every token. A token, or a string, that ends the sequence is therefore passed over "
        "when it is accepted anywhere but at the end of a block. End-of-sequence ids and the "
        "length are cut off separately from 5.18 on; other criteria are not.",
        "stop_criterion",
    ),
    Mechanism(
        "state-of-processors",
        ("state-not-rolled-back", "target-law"),
        "processors run on every drafted place, rejected ones included, so one that remembers its "
        "calls has seen tokens that are not in the sequence",
        "Each round runs the logits processors on every drafted place, left to right, before any "
        "draft is accepted. What a processor remembers of places that are then rejected stays in "
        "it. From 4.57 on the assistant is given the same processor objects, so its drafting "
        "advances their state as well. Plain `generate()` calls a processor once for each token "
        "that it emits; a processor that counts its calls, or keeps the tokens that it was called "
        "with, gives another target law under assistance. Prompt lookup runs them once more, on "
        "logits that are all one, to see which drafts they forbid.",
        "stateful_processor",
    ),
    Mechanism(
        "state-of-guidance",
        ("state-not-rolled-back", "target-law"),
        "the guidance processor keeps a cache of its own, and rejected drafts stay in it",
        "`guidance_scale` adds `UnbatchedClassifierFreeGuidanceLogitsProcessor`, which runs the "
        "model without the prompt and keeps that run's cache. Every call appends the last id of "
        "what it is given. Assisted generation calls it once for every drafted place, so rejected "
        "drafts stay in the cache, and the final token of a round is appended after them: the "
        "guidance is that of another sequence. The processor is one of the library's own.",
        "guidance",
    ),
    Mechanism(
        "state-of-watermark",
        ("state-not-rolled-back", "target-law"),
        "the SynthID watermark keeps its context by its calls, and rejected drafts stay in it",
        "`SynthIDTextWatermarkLogitsProcessor` does not read its context from the ids that it is "
        "given: it keeps the last id of each call, and a history of contexts that were used. "
        "Assisted generation calls it on every drafted place, so its context holds rejected drafts "
        "and the watermark is computed from a context that is not the sequence's. The law differs "
        "from plain watermarked `generate()`, and a detector that reads the text finds less. The "
        "processor is one of the library's own.",
        "synthid_watermark",
    ),
    Mechanism(
        "vocabulary-order",
        ("vocabulary-map", "proposal-law"),
        "drafts are drawn from the shared tokens in the order in which the drafter's get_vocab() "
        "lists them, a hash map's, but are scored as if listed by id, so the q that scores is not "
        "the q that drew",
        "`AssistantToTargetTranslator` cuts the drafter's head down to the shared tokens in the "
        "order of a dictionary that follows `get_vocab()`, which a fast tokenizer lists in the "
        "order of a hash map. `get_target_logits` then writes the cut logits to the target's ids "
        "in the order of the drafter's ids. Where the two orders differ, each logit is put down to "
        "another token: q is not the law that drew, and drafts are accepted with wrong ratios.",
        "listed_order",
        ("two-tokenizers",),
        ((4, 52, 0), (5, 24, 0)),
    ),
    Mechanism(
        "argmax-scored-as-drawn",
        ("proposal-law",),
        "drafts are the most likely token, but are scored with the raw logits as if drawn from "
        "their softmax",
        "`SinglePositionMultiTokenCandidateGenerator` takes `outputs.logits.argmax` for each draft "
        "and returns the raw logits beside it. The verification divides by their softmax, so a "
        "draft that was certain is accepted with probability p/q for a q below one, and the "
        "residual subtracts what was never proposed. Public report: #47932.",
        "single_position",
        ("single-position",),
        ((5, 8, 0), (5, 24, 0)),
    ),
    Mechanism(
        "raw-logits-for-processed",
        ("proposal-law",),
        "drafts are drawn from processed logits, but scored with the raw ones",
        "The drafter runs the logits processors and draws from what they give, but returns the "
        "logits from before. With a temperature, or anything that removes tokens, the q that "
        "scores is not the q that drew. Fixed in 5.15.1 (#48007).",
        "dflash",
        ("dflash", "mtp"),
        ((5, 14, 0), (5, 15, 0)),
    ),
    Mechanism(
        "past-an-end",
        ("stopping",),
        "ids follow an end of sequence",
        "Up to 5.17 an end of sequence is looked for in the last token of a block only. A drafter "
        "that does not stop at the target's end of sequence, because it has other ids or because "
        "it fills a block in one go, may have one accepted in the middle; what follows it is "
        "emitted and generation goes on. Fixed for every route in 5.18.0 (#48981).",
        "past_an_end",
    ),
    Mechanism(
        "past-the-length",
        ("stopping",),
        "more tokens than were asked for",
        "A block that is longer than what is left is not cut, so more than `max_new_tokens` tokens "
        "come back.",
    ),
    Mechanism(
        "empty-draft-after-an-end",
        ("stopping",),
        "with no draft after a prompt that ends in an end of sequence, the round emits nothing",
        "Up to 5.17 a round first asks the stopping criteria about the prompt with its drafts. "
        "Without drafts that is the prompt itself; if it ends in an end of sequence the round "
        "takes its block for finished and emits one token less than it has, which is none. The "
        "same happens where a prompt ends in what a stopping criterion looks for. Routes that have "
        "no draft in their first round, or find none, return the prompt alone; plain `generate()` "
        "goes on for at least one token.",
        "empty_draft",
        releases=((4, 40, 0), (5, 17, 999)),
    ),
    Mechanism(
        "all-shared",
        (),
        "the translator sets its list of shared ids only when some token is not shared, and reads "
        "it always",
        "When every token of the drafter is shared, `AssistantToTargetTranslator` never sets "
        "`assistant_overlap_token_ids`, and `get_target_ids` reads it all the same.",
        routes=("two-tokenizers",),
        releases=((4, 52, 0), (5, 24, 0)),
        crash=True,
    ),
    Mechanism(
        "second-assistant",
        (),
        "the map between vocabularies is kept by tokenizers, not by assistant, so a second "
        "assistant's head is never cut",
        "`AssistantVocabTranslatorCache` keeps a translator for each pair of tokenizers. Making it "
        "cuts the head of the assistant of that moment; a second assistant with the same "
        "tokenizers gets the same translator, keeps its whole head, and its logits do not fit.",
        routes=("two-tokenizers",),
        releases=((4, 52, 0), (5, 24, 0)),
        crash=True,
    ),
    Mechanism(
        "sizes-differ",
        (),
        "one processor object serves vocabularies of two sizes",
        "From 4.57 on the assistant is given the target's processor objects. Those that prepare a "
        "bias for every token do so at their first call, for the vocabulary that they see there, "
        "the assistant's, and then meet the target's logits.",
        routes=("two-tokenizers", "two-tokenizers-text"),
        crash=True,
    ),
    Mechanism(
        "states-run-short",
        (),
        "after a rejection the drafting layers want the states of as many tokens as there are "
        "layers before the last ones, and a prompt of one token has not given so many",
        "After a rejection `MTPCandidateGenerator` takes back as many places as it has drafting "
        "layers, and runs them again on ids and on the target's states. It has the state of every "
        "token that the target has processed but the last. With two layers and a prompt of one "
        "token there are fewer states than ids in the second round, and they do not fit together.",
        routes=("mtp",),
        crash=True,
    ),
    Mechanism(
        "no-tokenizer-for-the-assistant",
        (),
        "the assistant is given the stop strings but not the tokenizer that they need",
        "`stop_strings` are copied to the assistant's generation configuration, but the tokenizer "
        "that they need is not passed on, so the assistant's own `generate()` refuses.",
        routes=("assisted",),
        crash=True,
    ),
)

MECHANISMS: dict[str, Mechanism] = {mechanism.slug: mechanism for mechanism in _LIST}


def mechanisms_of(case: Case, seen: Iterable[str], release: str) -> list[Mechanism]:
    """The mechanisms of a result: those seen in the run, then those that the case shows.

    Args:
        case: what was run.
        seen: slugs of mechanisms that the run itself shows.
        release: of transformers, such as "5.24.0".
    """
    numbers = [int("".join(c for c in part if c.isdigit()) or 0) for part in release.split(".")[:3]]
    at: Release = (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else (0, 0, 0)
    found = [MECHANISMS[slug] for slug in dict.fromkeys((*seen, *case.shows))]
    return [
        mechanism
        for mechanism in found
        if mechanism.holds_in(at) and (not mechanism.routes or case.route in mechanism.routes)
    ]
