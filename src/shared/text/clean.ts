/** Text from outside, fit to be kept: at most `max` characters, whole ones, and none that only steer a terminal. */
export function cleanText(text: string, max: number): string {
  const isLong = text.length > max
  // Cut first: what comes in may be a megabyte long.
  const short = (isLong ? text.slice(0, max - 1).replace(CUT_PAIR, "") : text)
    .replaceAll(STEERING, "")
    .replaceAll(LONE_SURROGATE, "\ufffd")
    .trim()
  return isLong ? `${short}…` : short
}

// Everything that is not printed but line ends and tabs, and the marks that turn the direction of writing.
const STEERING = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu
const CUT_PAIR = /[\ud800-\udbff]$/
const LONE_SURROGATE = /\p{Cs}/gu
