import { saveAnchor } from "../knowledge/anchor/anchors.ts"
import { type NewMem, newMem, saveAndCompare } from "../knowledge/memory/save.ts"
import { checked } from "../schemas/checked.ts"
import { anchor as anchorSchema, memKind } from "../schemas/knowledge.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { withHive } from "./project/open-project.ts"
import { changeForPerson } from "./project/person-change.ts"
import type { CliCommand } from "./terminal/command.ts"
import { comparedLines } from "./terminal/detail-text.ts"
import { choiceOption, definedOnly } from "./terminal/options.ts"

interface RememberOptions extends Pick<NewMem, "kind" | "shelf"> {
  tag?: string[]
  evidence?: string[]
  task?: string
  anchor?: string
  priority?: "critical" | "high" | "medium" | "low"
}

export const command: CliCommand<RememberOptions> = {
  configure(remember) {
    const anchor = "save it as an anchor with this key, which every session is shown"
    const priorities = anchorSchema.shape.priority.options
    remember
      .argument("<text>", "the knowledge to keep for later sessions")
      .addOption(choiceOption("--kind <kind>", "the kind of knowledge (default: insight)", memKind.options))
      .option("--shelf <shelf>", "the shelf to keep it on (default: context)")
      .option("--tag <tags...>", "words to find it by")
      .option("--evidence <files...>", "files that support it: path, or path:line")
      .option("--task <id>", "the task that it came from")
      .addOption(
        remember
          .createOption("--anchor <key>", anchor)
          .conflicts(["kind", "shelf", "tag", "evidence", "task"]),
      )
      .addOption(choiceOption("--priority <priority>", "with --anchor (default: medium)", priorities))
  },

  help: 'Example: hivemind remember "Port 5432 is taken by CI" --kind fact',

  run: (input) =>
    withHive(input, ({ hive }) =>
      changeForPerson(input, hive, "remember", async (caller) => {
        const [content = ""] = input.args
        const { kind, shelf, tag, evidence, task, anchor, priority } = input.options
        if (anchor !== undefined) {
          const named = { key: anchor, value: content, ...(priority && { priority }) }
          const saved = await saveAnchor(hive, caller, named)
          return { data: { anchor: saved }, text: `Saved the anchor ${shorten(saved.key, 60)}.` }
        }
        const given = definedOnly({ kind, shelf, tags: tag, evidence, origin_task_id: task })
        const toSave = checked("The mem", newMem, { content, ...given })
        const { mem, replaced, conflicts } = await saveAndCompare(hive, caller, toSave)
        const lines = [`Saved ${shortId(mem.id)} (${mem.kind}).`, ...comparedLines(replaced, conflicts)]
        return { data: { mem, replaced, conflicts }, text: lines.join("\n") }
      }),
    ),
}
