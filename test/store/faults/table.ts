export interface Row {
  fault: string
  tries: number
  /** How many writes were acknowledged during the trial. */
  acknowledged: number
  /** The acknowledged writes that are missing afterwards. */
  lost: string[]
  /** How often something had to be reported (an error, a damage), and how often it was reported correctly. */
  toTell: number
  told: number
  /** Messages to the user, shortened, and how often each was seen. */
  messages: Record<string, number>
  wrong: string[]
}

export function newRow(fault: string): Row {
  return { fault, tries: 0, acknowledged: 0, lost: [], toTell: 0, told: 0, messages: {}, wrong: [] }
}

export function isGood({ lost, toTell, told, wrong }: Row): boolean {
  return lost.length === 0 && told === toTell && wrong.length === 0
}

/** Counts a message to the user. Removes ids, paths and numbers, which differ in every try. */
export function noteMessage({ messages }: Row, text: string, count = 1): void {
  const short = text
    .replaceAll(/[\w-]*-[\w-]*-[\w-]{12,}/g, "<id>")
    .replaceAll(/(?<![\w.])\/\S*\//g, "")
    .replaceAll(/-[0-9a-f]{8}\b/g, "-<token>")
    .replaceAll(/\d+/g, "n")
    .slice(0, MESSAGE_CHARS)
  messages[short] = (messages[short] ?? 0) + count
}

export function addTry(row: Row, one: Row, where: string): void {
  row.tries += one.tries
  row.acknowledged += one.acknowledged
  row.toTell += one.toTell
  row.told += one.told
  for (const [text, count] of Object.entries(one.messages)) noteMessage(row, text, count)
  row.lost.push(...one.lost.map((what) => `${where}: ${what}`))
  row.wrong.push(...one.wrong.map((what) => `${where}: ${what}`))
}

const MESSAGE_CHARS = 140
