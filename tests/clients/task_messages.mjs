// Reads messages of the tasks extension, one a line, and says of each whether the extension's own package knows it.
import { createInterface } from "node:readline";
import * as tasks from "@modelcontextprotocol/ext-tasks/core/v2";

const known = {
  discovered: (message) => tasks.hasTaskServerCapabilityV2(message.capabilities),
  created: (message) => tasks.isToolCallTaskResultV2("tools/call", message),
  detailed: tasks.isDetailedTaskV2,
  told: tasks.isTaskStatusNotificationV2,
  acknowledged: (message) => tasks.readAcceptedTaskIdsV2(message.params).length > 0,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, message } = JSON.parse(line);
  console.log(known[kind](message) ? "known" : "unknown");
}
