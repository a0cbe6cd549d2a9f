import { hashOf, routeOf, type Route, viewsOf } from "./route";

/** Browsers slow down pages that write their address more often than this. */
const WRITE_EVERY = 250;

/** Where the page is. A step that one would want to go back from is pushed, everything else replaces. */
export class Router {
  current = $state.raw<Route>(routeOf(location.hash));
  private writing: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    window.addEventListener("popstate", this.read);
    window.addEventListener("hashchange", this.read);
    window.addEventListener("pagehide", this.write);
  }

  close(): void {
    this.write();
    window.removeEventListener("popstate", this.read);
    window.removeEventListener("hashchange", this.read);
    window.removeEventListener("pagehide", this.write);
  }

  /** Go somewhere that the back button comes back from. */
  push(change: Partial<Route>): void {
    this.write();
    this.become(change);
    const hash = hashOf(this.current);
    if (hash !== location.hash) history.pushState(null, "", hash);
  }

  /** Note in the address what is shown now. */
  replace(change: Partial<Route>): void {
    this.become(change);
    this.writing ??= setTimeout(this.write, WRITE_EVERY);
  }

  /** The address of a place, for a link. */
  to(change: Partial<Route>): string {
    return hashOf(this.changed(change));
  }

  private become(change: Partial<Route>): void {
    this.current = this.changed(change);
  }

  private changed(change: Partial<Route>): Route {
    const route = { ...this.current, ...change };
    return viewsOf(route.session).includes(route.view) ? route : { ...route, view: "graph" };
  }

  private readonly read = (): void => {
    clearTimeout(this.writing);
    this.writing = undefined;
    if (hashOf(this.current) !== location.hash) this.current = routeOf(location.hash);
  };

  private readonly write = (): void => {
    if (this.writing === undefined) return;
    clearTimeout(this.writing);
    this.writing = undefined;
    const hash = hashOf(this.current);
    if (hash !== location.hash) history.replaceState(null, "", hash);
  };
}
