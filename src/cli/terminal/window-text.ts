import type { Pressure } from "../../graph/pressure.ts"

/** `window 61 % full (122,000 of 200,000 tokens)` */
export function windowText({ tokens, window, share }: Pressure): string {
  const whole = (n: number) => n.toLocaleString("en-US")
  return `window ${Math.round(share * 100)} % full (${whole(tokens)} of ${whole(window)} tokens)`
}
