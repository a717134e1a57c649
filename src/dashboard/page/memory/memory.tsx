import type { MemoryItem, MemoryView } from "../../answers/model.ts"
import { useList } from "../data/answers.ts"
import { isExport } from "../data/data.ts"
import { route } from "../data/route.ts"
import { counted, Time } from "../parts/format.tsx"
import { CommandForm, SearchField, Select } from "../parts/forms.tsx"
import { Empty, List, NotLoaded, ShowMore } from "../parts/layout.tsx"
import { Badge, Tags, wordOf } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"

export function Memory() {
  const { q = "", kind = "", shelf = "", status = "" } = route.value.params
  const list = useList<MemoryItem, MemoryView>("memory", { q, kind, shelf, status })
  const shelves = list.first?.shelves ?? []
  return (
    <>
      <div class="toolbar">
        <SearchField label="Search: a question or a few words" param="q" />
        <Select label="Kind" param="kind" options={[["", "All kinds"], ...KINDS]} />
        <Select
          label="Shelf"
          param="shelf"
          options={[["", "All shelves"], ...shelves.map((each) => [each, each] as const)]}
        />
        {!isExport && <Select label="Status" param="status" options={STATUSES} />}
        <AddMem />
      </div>
      {list.first === undefined && <NotLoaded error={list.error} />}
      {list.first?.total === 0 &&
        (q + kind + shelf + status === "" ? (
          <Empty title="Nothing is remembered yet">
            Your agent saves what it learns, and HiveMind makes mems from finished tasks and commits. You can
            add one above.
          </Empty>
        ) : (
          <Empty title="Nothing is known about that">Use other words, or remove a filter.</Empty>
        ))}
      {list.first !== undefined && list.first.total > 0 && (
        <p class="quiet found">
          {counted(list.first.total, "mem")}{" "}
          {q === "" ? `${FOUND[status] ?? "that are valid"}, the newest first` : "found, the best first"}
        </p>
      )}
      <List
        label="Mems"
        class="mems"
        items={list.items}
        keyOf={({ id }) => id}
        row={(item) => <MemCard item={item} />}
      />
      <ShowMore more={list.more} onClick={list.showMore} />
    </>
  )
}

function AddMem() {
  return (
    <CommandForm
      title="Add a mem"
      label="Add a mem"
      fields={[
        { name: "content", label: "One thing worth knowing", isLong: true },
        { name: "kind", label: "Kind", choices: KINDS, value: "insight" },
        { name: "tags", label: "Tags, with commas between them", isOptional: true },
      ]}
      command={({ content, kind, tags = "" }) => ({
        do: "save_mem",
        content,
        kind,
        tags: tags.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()])),
      })}
    />
  )
}

function MemCard({ item }: { item: MemoryItem }) {
  const { id, kind, content, why, at, isArchived, status, isOpen, tags } = item
  const isGone = status !== null && status !== "active"
  return (
    <button
      type="button"
      class={isGone ? "mem-card is-gone" : "mem-card"}
      onClick={() => openSheet(kind === "failed task" ? `task:${id}` : `mem:${id}`)}
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
        <Tags tags={tags.slice(0, 4)} />
      </span>
    </button>
  )
}

const KINDS = ["insight", "fact", "decision", "pattern", "false_path", "rule"].map(
  (kind) => [kind, wordOf(kind)] as const,
)
const STATUSES = [
  ["", "Valid"],
  ["open", "Open decisions"],
  ["changed", "Evidence has changed"],
  ["invalidated", "Withdrawn"],
  ["superseded", "Superseded"],
] as const
const FOUND: Readonly<Record<string, string>> = {
  open: "that are still open",
  changed: "whose evidence has changed",
  invalidated: "that were withdrawn",
  superseded: "that were superseded",
}
