import type { Live } from "../api/live";
import type { Source } from "../api/source";

/** What every room's view is given. */
export interface RoomProps {
  source: Source;
  live: Live;
  /** The record up to which everything is shown; null: as it is now. */
  asOf: number | null;
  workspace: string;
  /** Show a record in the detail panel. */
  open: (recordId: string) => void;
  sessionId?: string;
  /** The newest record that is known. */
  seq: number;
}
