import type { MemView } from "../../answers/model.ts"
import { canOpen } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Part } from "../parts/card.tsx"
import { openSheet } from "../parts/sheet.tsx"

type Link = MemView["links"][number]

/** What a mem is linked with, as a small graph and as a list. */
export function Links({ title, links }: { title: string; links: readonly Link[] }) {
  if (links.length === 0) return null
  return (
    <Part title="Linked with" note={String(links.length)}>
      <Star title={title} links={links.slice(0, MAX_DRAWN)} />
      <ul class="plain links">
        {links.slice(0, MAX_LISTED).map((link) => (
          <li key={`${link.direction} ${link.field} ${link.id}`}>
            <span class="quiet">{wordsOf(link)}</span> <Linked link={link} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Linked({ link: { id, kind, title } }: { link: Link }) {
  if (kind === "plan") return <a href={linkTo("plans", { plan: id })}>{title}</a>
  if ((kind !== "mem" && kind !== "task") || !canOpen(kind, id)) return <>{title}</>
  return (
    <button type="button" class="link" onClick={() => openSheet(`${kind}:${id}`)}>
      {title}
    </button>
  )
}

/** The list beside it says the same, so that nobody needs to see it. */
function Star({ title, links }: { title: string; links: readonly Link[] }) {
  const height = Math.max(96, links.length * 34 + 8)
  const middle = height / 2
  const yOf = (at: number, of: number) => ((at + 0.5) / of) * height
  const [into, out] = [
    links.filter((each) => each.direction === "from"),
    links.filter((each) => each.direction === "to"),
  ]
  return (
    <svg class="star" viewBox={`0 0 480 ${height}`} aria-hidden="true">
      {into.map((link, at) => (
        <g key={link.id}>
          <path
            class="edge"
            d={`M150 ${yOf(at, into.length)}C175 ${yOf(at, into.length)} 155 ${middle} 178 ${middle}`}
          />
          <Leaf x={4} y={yOf(at, into.length)} text={link.title} kind={link.kind} />
        </g>
      ))}
      {out.map((link, at) => (
        <g key={link.id}>
          <path
            class="edge"
            d={`M302 ${middle}C325 ${middle} 305 ${yOf(at, out.length)} 330 ${yOf(at, out.length)}`}
          />
          <Leaf x={330} y={yOf(at, out.length)} text={link.title} kind={link.kind} />
        </g>
      ))}
      <rect class="star-middle" x="178" y={middle - 17} width="124" height="34" rx="8" />
      <text x="240" y={middle + 4} text-anchor="middle">
        {cut(title, 18)}
      </text>
    </svg>
  )
}

function Leaf({ x, y, text, kind }: { x: number; y: number; text: string; kind: string }) {
  return (
    <>
      <rect class={`star-leaf is-${kind}`} x={x} y={y - 13} width="146" height="26" rx="6" />
      <text x={x + 8} y={y + 4}>
        {cut(text, 21)}
      </text>
    </>
  )
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function wordsOf({ field, direction, kind }: Link): string {
  // A link from elsewhere names its kind too: `mem.supersedes`.
  const [to, from] = WORDS[field.slice(field.indexOf(".") + 1)] ?? [
    field.replaceAll("_", " ").replace(/ ids?$/, ""),
    "named by",
  ]
  return `${direction === "to" ? to : from} ${kind === "mem" ? "" : kind}`.trim()
}

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  supersedes: ["replaces", "was replaced by"],
  related_to: ["related to", "related to"],
  parent_mem_id: ["part of", "has the part"],
  origin_task_id: ["learned in", "learned in"],
  decisions: ["decided for", "decided for"],
}
const MAX_DRAWN = 8
const MAX_LISTED = 30
