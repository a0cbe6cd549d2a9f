"""What the texts of the mind room may name."""

from __future__ import annotations

import re

TOOLS = frozenset(
    re.findall(
        r"\w+",
        """
        init status help notes_commit show open export diff merge
        graph_apply graph_query graph_validate graph_diff graph_merge
        graph_conflicts graph_conflict_show graph_conflict_resolve
        branch_create diagnostics macro_branch_note branch_list checkout branch_rename branch_delete
        think_template think_card think_pipeline think_context
        commit log docs_list tag_create tag_list tag_delete reflog reset
        think_add_hypothesis think_add_question think_add_test think_add_note
        think_add_decision think_add_evidence think_add_frame think_add_update
        think_query think_pack context_pack context_pack_export
        transcripts_search transcripts_open transcripts_digest
        think_frontier think_next think_link think_set_status think_pin think_pins think_publish
        think_nominal_merge think_playbook think_subgoal_open think_subgoal_close think_watch
        trace_step trace_sequential_step trace_hydrate trace_validate
        tasks_create tasks_focus_set tasks_snapshot tasks_close_step
        """,
    )
)
"""The headings of the contract that are tools, and the tools for tasks that its completions add and the help needs."""

_TOOL = re.compile(
    r"\b(?:(?:think|graph|tasks|trace|branch|tag|transcripts|macro|anchors?)_[a-z_]+"
    r"|notes_commit|docs_list|context_pack\w*)"
)


def tools_in(text: str) -> set[str]:
    """Words that can be nothing but the name of a tool."""
    return set(_TOOL.findall(text))
