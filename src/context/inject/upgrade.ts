import * as z from "zod"
import { severities } from "../../watch/warning.ts"
import { type ItemRef, itemKinds, itemRoles, type Section, sections } from "../pack/item.ts"
import { type InjectedItem, type Injection, injection } from "./record.ts"

/*
 * Version 0.1 kept what an item is about as one string, split at blanks: `mem <id>`, `task <id> <role>`,
 * `depends <task> <on>`, `warning <signal>`.
 */
const keyedItem = z.strictObject({
  key: z.string(),
  hash: z.string(),
  ref: z.string(),
  section: z.enum(sections),
  reason: z.string(),
  tokens: z.number(),
})

const keyedDropped = z.strictObject({
  section: z.enum(sections),
  reason: z.string(),
  count: z.number(),
  keys: z.array(z.string()),
})

/**
 * A line as version 0.1 wrote it, in today's shape. What the message carries stays as it is, byte for byte. An item that
 * cannot be understood is left out: then the model is shown it once more.
 */
export const injectionOf01 = injection
  .extend({ items: z.array(keyedItem), gone: z.array(z.string()), dropped: z.array(keyedDropped) })
  .transform(
    (line): Injection => ({
      ...line,
      items: line.items.flatMap((each) => upgradeItem(each) ?? []),
      gone: line.gone.flatMap((key) => upgradeKey(key) ?? []),
      dropped: line.dropped.map(({ keys, ...each }) => ({
        ...each,
        examples: keys.flatMap((key) => upgradeKey(key) ?? upgradeId(each.section, key) ?? []),
      })),
    }),
  )

function upgradeItem({ key, ref, ...item }: z.infer<typeof keyedItem>): InjectedItem | undefined {
  const about = upgradeKey(key)
  // The element's name, and the attributes that named the item: `anchor key="DB"`.
  const role = itemRoles.find((each) => each === /^\w+/.exec(ref)?.[0])
  if (about === undefined || role === undefined) return undefined
  const pairs = [...ref.matchAll(/(\w+)="([^"]*)"/g)]
  const identity = Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, unescapeXml(value)]))
  const severity = severities.find((each) => item.reason === `a warning, ${each}`)
  return { ...item, ...about, role, identity, ...(severity === undefined ? {} : { severity }) }
}

function upgradeKey(key: string): ItemRef | undefined {
  const [first = "", id = "", rest = ""] = key.split(" ")
  if (first === "depends" || first === "gate") return { kind: "wait", id, role: first, on: rest }
  const kind = itemKinds.find((each) => each === first)
  // Only a task's key had its role. For the others it is in the item, and nothing depends on it elsewhere.
  const role = itemRoles.find((each) => each === (kind === "task" ? rest : first))
  return kind === undefined || role === undefined ? undefined : { kind, id, role }
}

/** What was not even considered was named by its id alone. */
function upgradeId(section: Section, id: string): ItemRef | undefined {
  if (section === "mems") return { kind: "mem", id, role: "mem" }
  return section === "anchors" ? { kind: "anchor", id, role: "anchor" } : undefined
}

function unescapeXml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
}
