"""psi of one draft by index maps, against psi by enumeration, on the gallery."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import through_tensors  # noqa: E402
from draftproof.adapters.decoding.one_draft import OneDraft  # noqa: E402
from draftproof.reference.psi import candidate_law  # noqa: E402
from draftproof.reference.stop_rules import Fixed  # noqa: E402
from draftproof.toymodels.gallery import gallery  # noqa: E402

RULE = Fixed(1)


@pytest.mark.parametrize("each", gallery(), ids=lambda each: each.name)
def test_every_psi_is_that_of_the_definition(each):
    found = OneDraft(through_tensors(each.pair)).after(each.prompt)
    due = candidate_law(each.pair, each.prompt, RULE)
    reached = {t[:k] for t in due.law for k in range(len(t) + 1)}
    for accepted in reached:
        exact, tensor = due.next_token(accepted), found(accepted)
        assert len(tensor) == each.pair.target.size
        for token in range(each.pair.target.size):
            assert float(tensor[token]) == pytest.approx(float(exact[token]), abs=1e-15)


def test_the_gallery_has_proposals_of_several_tokens_and_none():
    lengths = {
        len(proposed)
        for each in gallery()
        for proposed in OneDraft(through_tensors(each.pair)).candidates
    }
    assert {0, 1, 2} <= lengths


def test_a_continuation_that_nothing_proposes_has_no_mass():
    (each,) = (each for each in gallery() if each.name == "base")
    found = OneDraft(through_tensors(each.pair)).after(each.prompt)
    assert float(found((0, 0, 0, 0, 0)).mass) == 0
