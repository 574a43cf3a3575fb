"""Options and readers that the tests of the pytest plugin share."""

import importlib.metadata
from xml.etree import ElementTree

#: Where this checkout was installed before it had the entry point, the plugin is named instead.
IS_INSTALLED = bool(importlib.metadata.entry_points(group="pytest11", name="draftproof"))
LOADED = () if IS_INSTALLED else ("-p", "draftproof.pytest_plugin")
SUBJECT = ("--draftproof", "subjects.py:wrong", "--draftproof-kind", "rule")
QUICK = ("--draftproof-pair", "base", "--draftproof-lookahead", "1")
NEXT, ROUND = "draftproof::rule::next-token[base-1]", "draftproof::rule::one-round[base-1]"


def cases(path):
    """Test cases of a JUnit file by id."""
    return {
        f"{c.get('classname')}::{c.get('name')}": c
        for c in ElementTree.parse(path).iter("testcase")
    }


def shows(stream, *patterns):
    """The lines are there, in any order; * and ? are wildcards, brackets are none."""
    stream.fnmatch_lines_random([pattern.replace("[", "[[]") for pattern in patterns])
