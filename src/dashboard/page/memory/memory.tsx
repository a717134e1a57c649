import { useRef } from "preact/hooks"
import type { MemoryItem, MemoryView } from "../../answers/model.ts"
import { isExport } from "../data/data.ts"
import { useLongList } from "../data/pages.ts"
import { choose, route } from "../data/route.ts"
import { counted } from "../parts/amounts.ts"
import { Ask } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Empty } from "../parts/empty.tsx"
import { SearchField } from "../parts/search-field.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { Time } from "../parts/time.tsx"
import { focusRow, type RowFocus, VirtualList } from "../parts/virtual-list.tsx"

/** What is known: recalled as one types, else the newest. */
export function Memory() {
  const { q = "", kind = "", shelf = "", standing = "" } = route.value.params
  const list = useLongList<MemoryItem, MemoryView>("memory", { q, kind, shelf, standing })
  const box = useRef<HTMLDivElement>(null)
  const isFiltered = q !== "" || kind !== "" || shelf !== "" || standing !== ""
  return (
    <div ref={box}>
      <div class="toolbar">
        <SearchField
          label="Recall: a question or a few words"
          value={q}
          onFind={(words) => choose({ q: words }, { replace: true })}
          onDown={() => focusRow(box.current, 0)}
        />
        <select
          aria-label="Kind"
          value={kind}
          onChange={(event) => choose({ kind: event.currentTarget.value })}
        >
          <option value="">All kinds</option>
          {KINDS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <select
          aria-label="Shelf"
          value={shelf}
          onChange={(event) => choose({ shelf: event.currentTarget.value })}
        >
          <option value="">All shelves</option>
          {(list.first?.shelves ?? []).map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        {!isExport && (
          <select
            aria-label="Standing"
            value={standing}
            onChange={(event) => choose({ standing: event.currentTarget.value })}
          >
            {STANDINGS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
        <Ask
          title="Add a mem"
          label="Add a mem"
          fields={[
            { name: "content", label: "One thing worth knowing", isLong: true },
            { name: "kind", label: "Kind", choices: KINDS, value: "insight" },
            { name: "tags", label: "Tags, with commas between them", isOptional: true },
          ]}
          command={({ content, kind: chosen, tags = "" }) => ({
            do: "save_mem",
            content,
            kind: chosen,
            tags: tags.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()])),
          })}
        />
      </div>
      {list.error !== null && <Empty title={list.error.what}>{list.error.why}</Empty>}
      {list.first === undefined && list.error === null && <p class="quiet loading">Loading…</p>}
      {list.first !== undefined && list.total === 0 && <NothingFound isFiltered={isFiltered} />}
      {list.total > 0 && (
        <>
          <p class="quiet found">
            {counted(list.total, "mem")}{" "}
            {q === "" ? `${WORDS[standing] ?? "in force"}, the newest first` : "found, the best first"}
          </p>
          <VirtualList
            label="Mems"
            class="mems"
            total={list.total}
            rowPx={q === "" ? ROW_PX : FOUND_PX}
            of={`${q} ${kind} ${shelf} ${standing}`}
            keyAt={(index) => list.at(index)?.id}
            onShown={list.show}
            row={(index, focus) => <MemCard item={list.at(index)} focus={focus} />}
          />
        </>
      )}
    </div>
  )
}

function MemCard({ item, focus }: { item: MemoryItem | undefined; focus: RowFocus }) {
  if (item === undefined) {
    return (
      <button type="button" class="mem-card quiet" {...focus}>
        Loading…
      </button>
    )
  }
  const { id, kind, content, why, at, isArchived, status, isOpen, tags } = item
  const what = kind === "failed task" ? `task:${id}` : `mem:${id}`
  const isGone = status !== null && status !== "active"
  return (
    <button
      type="button"
      class={isGone ? "mem-card is-gone" : "mem-card"}
      {...focus}
      onClick={() => openSheet(what)}
    >
      <span class="mem-content" dir="auto">
        {content}
      </span>
      {why !== null && <span class="mem-why">{why}</span>}
      <span class="meta">
        <Badge is={kind} />
        {isGone && <Badge is={status} />}
        {isOpen && <Badge is="unresolved" />}
        {isArchived && <span>archived</span>}
        {at !== null && <Time at={at} />}
        {tags.slice(0, 4).map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </span>
    </button>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="Nothing is known about that">Use other words, or take a filter away.</Empty>
  ) : (
    <Empty title="Nothing is remembered yet">
      Your agent saves what it learns, and finished tasks and commits leave mems by themselves. You can add
      one above.
    </Empty>
  )
}

const KINDS = [
  ["insight", "Insight"],
  ["fact", "Fact"],
  ["decision", "Decision"],
  ["pattern", "Pattern"],
  ["false_path", "False path"],
] as const
const STANDINGS = [
  ["", "In force"],
  ["open", "Open decisions"],
  ["changed", "Evidence has changed"],
  ["invalidated", "Taken back"],
  ["superseded", "Superseded"],
] as const
const WORDS: Readonly<Record<string, string>> = {
  open: "still open",
  changed: "whose evidence has changed",
  invalidated: "taken back",
  superseded: "superseded",
}
/** What was found also says why. */
const FOUND_PX = 112
const ROW_PX = 94
