import { toPng, toSvg } from "../lanes/export";
import type { Observatory } from "../state/observatory.svelte";
import { plain, titleOf } from "../state/words";

export interface Export {
  name: string;
  what: string;
  save: () => Promise<void> | void;
}

function download(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  download(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A name that every file system takes. */
function fileNameOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "").slice(0, 60) || "thoughtbox";
}

/** What can be taken away from here: the picture, and the records. */
export function exportsOf(observatory: Observatory): Export[] {
  const { glimpses, scope, session, source, route, workspace } = observatory;
  const sessionId = route.session;
  const file = fileNameOf(session === null ? (workspace ?? "workspace") : titleOf(session));
  const of = sessionId === null ? "the workspace" : "this session";
  // Of a session the cards with their texts; a workspace is too large for that.
  const asCards = {
    textOf: (seq: number) => glimpses.of(seq)?.text,
    laneLabel: (lane: number) => plain(scope?.table.lanes[lane]?.branch ?? ""),
  };
  const options = { ...(sessionId === null ? {} : asCards), asOf: route.at, title: session === null ? `Workspace ${workspace}` : titleOf(session) };
  const served = (name: string, what: string, format: string, ending: string): Export[] => {
    const address = source.exportUrl({ format, ...(sessionId === null ? {} : { sessionId }) });
    return address === null ? [] : [{ name, what, save: () => download(address, `${file}.${ending}`) }];
  };
  const drawn: Export[] =
    scope === null
      ? []
      : [
          {
            name: "SVG",
            what: "The graph, as a drawing that scales",
            save: () => downloadBlob(new Blob([toSvg(scope.table, options)], { type: "image/svg+xml" }), `${file}.svg`),
          },
          { name: "PNG", what: "The graph, as a picture", save: async () => downloadBlob(await toPng(scope.table, options), `${file}.png`) },
        ];
  const records = served("JSONL", `Every record of ${of}, with its hashes`, "jsonl", "jsonl");
  const read = served("Markdown", sessionId === null ? "All sessions and streams, to read" : "This session, to read", "markdown", "md");
  if (sessionId === null) return [...drawn, ...records, ...read];
  const parsed = served("JSON", "This session, for programs", "json", "json");
  return [...drawn, ...records, ...read, ...parsed];
}
