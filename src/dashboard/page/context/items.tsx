import type { ContextView, Turn } from "../../answers/model.ts"
import { canOpen } from "../data/data.ts"
import { amount } from "../parts/amounts.ts"
import { Part } from "../parts/card.tsx"
import { openSheet } from "../parts/sheet.tsx"

type Item = Turn["items"][number]

/** What a message carried, item by item: what, why, and how long it is. */
export function Items({ items, names }: { items: readonly Item[]; names: ContextView["names"] }) {
  if (items.length === 0) return null
  return (
    <Part title="Items" note={String(items.length)}>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
            <th scope="col" class="right">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={`${item.kind} ${item.id} ${item.role} ${item.on ?? ""}`}>
              <td>
                <Named item={item} known={names[item.id]} />
              </td>
              <td>{item.reason}</td>
              <td class="right number">{amount(item.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  )
}

function Named({
  item: { kind, id, role, identity, description },
  known,
}: {
  item: Item
  known: string | undefined
}) {
  const name =
    identity["title"] ??
    identity["key"] ??
    known ??
    description ??
    identity["id"] ??
    (kind === "head" ? "" : id.slice(0, 8))
  const words = `${role.replaceAll("_", " ")} ${name}`.trim()
  if ((kind !== "task" && kind !== "mem") || !canOpen(kind, id)) return <>{words}</>
  return (
    <button type="button" class="link" onClick={() => openSheet(`${kind}:${id}`)}>
      {words}
    </button>
  )
}
