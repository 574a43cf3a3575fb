"""Exact laws of programs: `draftproof.audit.interception`, under the name it had here."""

from ..audit.interception.enumeration import Enumeration, enumerate_law

__all__ = ["Enumeration", "enumerate_law"]
