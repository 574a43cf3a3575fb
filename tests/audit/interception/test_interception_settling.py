"""Numbers of one tensor that are decided at different times."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")

from draftproof.audit.interception import enumerate_law  # noqa: E402


def test_a_tensor_whose_last_undrawn_number_is_looked_at_keeps_the_others():
    table, p = torch.tensor([10, 20]), torch.tensor([0.25, 0.75])

    def program():
        ids = torch.cat([torch.tensor([1]), torch.multinomial(p, 1)])  # one plain, one undrawn
        found = table[ids[-1:]]  # draws the last one, and so the whole tensor is plain
        return (*ids.tolist(), int(found))

    found = enumerate_law(program)
    assert found.reason is None
    assert found.law == pytest.approx({(1, 0, 10): 0.25, (1, 1, 20): 0.75})
