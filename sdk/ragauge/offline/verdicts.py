"""A gate's verdict for machines: JUnit XML, and GitHub's workflow commands with a job summary."""

import os
from pathlib import Path
from xml.etree import ElementTree as ET

from ragauge.offline.gate import Verdict
from ragauge.offline.report import markdown


def junit(verdict: Verdict) -> bytes:
    """Return JUnit XML: one case a check."""
    failures = sum(not check.passed for check in verdict.checks)
    suite = ET.Element(
        "testsuite", name="ragauge.gate", tests=str(len(verdict.checks)), failures=str(failures), errors="0"
    )
    for check in verdict.checks:
        case = ET.SubElement(suite, "testcase", classname="ragauge.gate", name=_printable(check.name))
        if not check.passed:
            ET.SubElement(case, "failure", message=_printable(check.message)).text = _printable(check.message)
    root = ET.Element("testsuites")
    root.append(suite)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """XML has no way to write control characters."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def github(verdict: Verdict) -> str:
    r"""Return a workflow command for each failed check; write the tables to the job summary, if any.

    >>> _escaped("50 % of\n a")
    '50 %25 of%0A a'
    """
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(summary_of(verdict))
    failed = [check for check in verdict.checks if not check.passed]
    if not failed:
        return f"::notice title=ragauge gate::passed, {len(verdict.checks)} checks"
    return "\n".join(f"::error title={_property(check.name)}::{_escaped(check.message)}" for check in failed)


def summary_of(verdict: Verdict) -> str:
    """Return the verdict as Markdown."""
    head = f"### ragauge gate {'passed' if verdict.passed else 'failed'}"
    failed = [f"- **{check.name}**: {check.message}" for check in verdict.checks if not check.passed]
    parts = [head, "\n".join(failed), markdown(verdict.result)]
    if verdict.comparison is not None:
        from ragauge.offline import comparing  # noqa: PLC0415 - only with a baseline

        parts.append(comparing.markdown(verdict.comparison))
    return "\n\n".join(part for part in parts if part) + "\n"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
