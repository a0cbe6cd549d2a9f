"""The messages of the tasks extension as types, entered where the SDK has none: every wire of the tests knows them."""

from typing import Annotated, Any, Literal

from mcp_types.methods import v2026
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tests.support.tap import NEWEST, NOTIFICATIONS, RESULTS

Count = Annotated[int, Field(strict=True, ge=1)]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class _Task(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    task_id: Annotated[str, Field(pattern=r"^[!-~]{1,128}$")]
    status_message: str | None = None
    created_at: Moment
    last_updated_at: Moment
    ttl_ms: Count
    poll_interval_ms: Count
    meta: Annotated[dict[str, Any], Field(alias="_meta")]


class _Working(_Task):
    status: Literal["working"]


class _InputRequired(_Task):
    status: Literal["input_required"]
    input_requests: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]


class _Completed(_Task):
    status: Literal["completed"]
    result: v2026.CallToolResult


class _Error(BaseModel):
    model_config = ConfigDict(extra="forbid")

    code: Annotated[int, Field(strict=True)]
    message: str


class _Failed(_Task):
    status: Literal["failed"]
    error: _Error


class _Cancelled(_Task):
    status: Literal["cancelled"]


class _Created(_Working):
    result_type: Literal["task"]


class _GotWorking(_Working):
    result_type: Literal["complete"]


class _GotInputRequired(_InputRequired):
    result_type: Literal["complete"]


class _GotCompleted(_Completed):
    result_type: Literal["complete"]


class _GotFailed(_Failed):
    result_type: Literal["complete"]


class _GotCancelled(_Cancelled):
    result_type: Literal["complete"]


class _Acknowledgement(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    result_type: Literal["complete"]
    meta: Annotated[dict[str, Any], Field(alias="_meta")]


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid")

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/tasks"]
    params: _Working | _InputRequired | _Completed | _Failed | _Cancelled


class _Filter(v2026.SubscriptionFilter):
    task_ids: Annotated[list[str] | None, Field(alias="taskIds")] = None


class _AcknowledgedParams(BaseModel):
    model_config = ConfigDict(extra="forbid")

    meta: Annotated[dict[str, Any], Field(alias="_meta")]
    notifications: _Filter


class _Acknowledged(BaseModel):
    model_config = ConfigDict(extra="forbid")

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/subscriptions/acknowledged"]
    params: _AcknowledgedParams


RESULTS["tools/call", NEWEST] = v2026.AnyCallToolResult | _Created
RESULTS["tasks/get", NEWEST] = _GotWorking | _GotInputRequired | _GotCompleted | _GotFailed | _GotCancelled
RESULTS["tasks/update", NEWEST] = RESULTS["tasks/cancel", NEWEST] = _Acknowledgement
NOTIFICATIONS["notifications/tasks", NEWEST] = _Told
NOTIFICATIONS["notifications/subscriptions/acknowledged", NEWEST] = _Acknowledged
