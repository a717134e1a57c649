/** What came of one kind of fault. */
export interface Row {
  fault: string
  tries: number
  /** Writes that were acknowledged while it was tried. */
  acknowledged: number
  /** Of those, what is not there afterwards. */
  lost: string[]
  /** Times when something had to be told (an error, a damage that changes something), and those when it was, truly. */
  toTell: number
  told: number
  /** The messages that a person reads, shortened, and how often each was seen. */
  messages: Record<string, number>
  /** Whatever else is not as it should be. */
  wrong: string[]
}

export function newRow(fault: string): Row {
  return { fault, tries: 0, acknowledged: 0, lost: [], toTell: 0, told: 0, messages: {}, wrong: [] }
}

export function isGood({ lost, toTell, told, wrong }: Row): boolean {
  return lost.length === 0 && told === toTell && wrong.length === 0
}

/** Notes a message that a person reads, without the ids, paths and numbers that differ in every try. */
export function noteMessage({ messages }: Row, text: string, count = 1): void {
  const short = text
    .replaceAll(/[\w-]*-[\w-]*-[\w-]{12,}/g, "<id>")
    .replaceAll(/(?<![\w.])\/\S*\//g, "")
    .replaceAll(/-[0-9a-f]{8}\b/g, "-<token>")
    .replaceAll(/\d+/g, "n")
    .slice(0, MESSAGE_CHARS)
  messages[short] = (messages[short] ?? 0) + count
}

/** Adds what came of one try; what is wrong says where. */
export function addTry(row: Row, one: Row, where: string): void {
  row.tries += one.tries
  row.acknowledged += one.acknowledged
  row.toTell += one.toTell
  row.told += one.told
  for (const [text, count] of Object.entries(one.messages)) noteMessage(row, text, count)
  row.lost.push(...one.lost.map((what) => `${where}: ${what}`))
  row.wrong.push(...one.wrong.map((what) => `${where}: ${what}`))
}

/** The rows as a table, and below it what is wrong, the first few of each row. */
export function renderTable(rows: readonly Row[]): string {
  const header = ["fault", "tries", "acknowledged", "lost", "told"]
  const cells = rows.map(({ fault, tries, acknowledged, lost, toTell, told }) => [
    fault,
    String(tries),
    String(acknowledged),
    String(lost.length),
    toTell === 0 ? "-" : `${told} of ${toTell}`,
  ])
  const widths = header.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
  const rule = widths.map((width) => "-".repeat(width))
  return [
    line(header),
    line(rule),
    ...cells.map(line),
    ...rows.flatMap(messagesOf),
    ...rows.flatMap(complaints),
  ].join("\n")
}

/** What the person was told, the most frequent messages first. */
function messagesOf({ fault, messages }: Row): string[] {
  const all = Object.entries(messages).sort(([, one], [, other]) => other - one)
  if (all.length === 0) return []
  return [`\n${fault}, the person was told:`, ...all.slice(0, SHOWN).map(([text, n]) => `  ${n} × ${text}`)]
}

function complaints({ fault, lost, toTell, told, wrong }: Row): string[] {
  const untold = toTell - told
  const all = [
    ...lost.map((what) => `lost: ${what}`),
    ...wrong,
    ...(untold > 0 && wrong.length === 0 ? [`${untold} not told`] : []),
  ]
  if (all.length === 0) return []
  const more = all.length > SHOWN ? [`  … and ${all.length - SHOWN} more`] : []
  return [`\n${fault}:`, ...all.slice(0, SHOWN).map((what) => `  ${what}`), ...more]
}

const SHOWN = 12
const MESSAGE_CHARS = 140
