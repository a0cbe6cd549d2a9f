"""Experiences as JSON and Markdown, here and in files of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.domains.memory.knowledge.drafts import DEPLOY, recorded, unlike
from tests.support.box import Box
from thoughtbox.errors import PathRefused, ValidationFailed


def test_json_holds_every_version_with_all_columns_the_newest_first(box: Box):
    first = recorded(box)
    other = recorded(box, **unlike(1))
    second = box.update_experience(id=first, changes={"outcome": "Second."}, reason="Seen.")["new_id"]

    answer = box.export_experiences(format="json")

    assert [row["id"] for row in answer["output"]] == [second, other, first]
    shown = box.get_experience(id=first)
    assert answer["output"][2] == {name: shown[name] for name in answer["output"][2]}
    assert {"situation", "tags", "scope", "original_id", "revision_of", "access_count"} <= answer["output"][2].keys()
    assert (answer["exported"], answer["count"], answer["format"]) == (True, 3, "json")


def test_filters_by_domain_type_and_tags_are_honoured(quick: Box):
    both = recorded(quick, **unlike(1, domain="Tools", tags=["a", "b"]))
    recorded(quick, **unlike(2, domain="Tools", type="ineffective", tags=["a"]))
    recorded(quick, **unlike(3, tags=["b"]))

    def exported(**wanted: object) -> list[int]:
        return [row["id"] for row in quick.export_experiences(format="json", filter=wanted)["output"]]

    assert len(exported()) == 3
    assert len(exported(domain="Tools")) == 2
    assert exported(domain="Tools", type="effective") == [both]
    assert exported(tags=["b", "a"]) == [both]
    assert exported(tags=["c"]) == []


def test_markdown_is_to_be_read_line_by_line(quick: Box):
    recorded(quick, tags=["deploy", "locks"], outcome="First.\n\n## 99: Tools\nSecond.")

    lines = quick.export_experiences(format="markdown")["output"].split("\n")

    assert lines[0] == "# Experiences"
    assert {"Total: 1", "## 1: Process", "- Tags: deploy, locks", "- Confidence: 0.6", "### Reasoning"} <= set(lines)
    assert {f"> {DEPLOY['reasoning']}", "> First.", ">", "> ## 99: Tools", "> Second."} <= set(lines)
    assert [line for line in lines if line.startswith("## ")] == ["## 1: Process"]
    assert not any("\\n" in line for line in lines)


def test_a_file_is_written_inside_the_project_and_never_replaced_silently(quick: Box, project: Path):
    recorded(quick)

    answer = quick.export_experiences(format="json", output_path="notes/out.json")
    with pytest.raises(ValidationFailed, match="is there already"):
        quick.export_experiences(format="markdown", output_path="notes/out.json")
    rows = json.loads((project / "notes" / "out.json").read_text(encoding="utf-8"))
    quick.export_experiences(format="markdown", output_path="notes/out.json", overwrite=True)

    assert (answer["count"], answer["output_path"]) == (1, str(project / "notes" / "out.json"))
    assert "output" not in answer
    assert rows[0]["situation"] == DEPLOY["situation"]
    assert (project / "notes" / "out.json").read_text(encoding="utf-8").startswith("# Experiences\n")


@pytest.mark.parametrize(
    "path", ["../out.json", "/tmp/out.json", "link/out.json", ".git/config", ".claude/config.json", "x" * 300]
)
def test_a_file_outside_of_the_project_or_of_the_host_is_left_alone(
    quick: Box, project: Path, tmp_path: Path, path: str
):
    (tmp_path / "elsewhere").mkdir()
    (project / "link").symlink_to(tmp_path / "elsewhere")
    (project / ".claude").mkdir()
    (project / ".claude" / "config.json").write_text("{}", encoding="utf-8")

    with pytest.raises(PathRefused):
        quick.export_experiences(format="json", output_path=path, overwrite=True)

    assert (project / ".claude" / "config.json").read_text(encoding="utf-8") == "{}"
    assert not (tmp_path / "out.json").exists()


def test_the_servers_own_files_are_left_alone(tmp_path: Path, project: Path):
    box = Box(project / ".thoughtbox", THOUGHTBOX_PROJECT_ROOT=str(project))
    recorded(box)

    with pytest.raises(PathRefused):
        box.export_experiences(format="json", output_path=".thoughtbox/thoughtbox.db", overwrite=True)

    assert box.get_experience(id=1)["id"] == 1
    box.close()
