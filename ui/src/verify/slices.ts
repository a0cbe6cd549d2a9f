/** Longer than a frame ever takes; a hidden page gets no frames at all. */
const LONGEST_WAIT_FOR_A_FRAME = 100;

/** Let the page draw a frame and answer its reader before work goes on. */
function pauseForAFrame(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const goOn = (): void => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      // A task of its own: work within the frame's callback would delay that very frame.
      port2.postMessage(null);
    };
    const timer = setTimeout(goOn, LONGEST_WAIT_FOR_A_FRAME);
    const frame = requestAnimationFrame(goOn);
  });
}

/** How work that takes long is cut into slices. */
export interface Slices {
  now: () => number;
  pause: () => Promise<void>;
}

export const betweenFrames: Slices = { now: () => performance.now(), pause: pauseForAFrame };
