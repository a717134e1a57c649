import { percent, short } from "./amounts.ts"

/** How full a session's window is, as an arc and in words. */
export function Gauge({ tokens, window, share }: { tokens: number; window: number; share: number }) {
  const filled = Math.min(1, share)
  return (
    <div class={`gauge tone-${toneAt(share)}`}>
      <svg viewBox="0 0 120 68" role="img" aria-label={`${percent(share)} of the window is full`}>
        <path class="gauge-track" d={ARC} pathLength="100" />
        <path class="gauge-fill" d={ARC} pathLength="100" stroke-dasharray={`${filled * 100} 100`} />
        <text x="60" y="58" text-anchor="middle">
          {percent(share)}
        </text>
      </svg>
      <p class="quiet">
        {short(tokens)} of {short(window)} tokens: {wordAt(share)}
      </p>
    </div>
  )
}

function toneAt(share: number): string {
  return share < 0.6 ? "good" : share < 0.85 ? "wait" : "wrong"
}

function wordAt(share: number): string {
  return share < 0.6 ? "plenty of room" : share < 0.85 ? "filling up" : "nearly full"
}

const ARC = "M12 60 A48 48 0 0 1 108 60"
