import type { Command } from "commander"
import { saveAnchor } from "../knowledge/anchor/anchors.ts"
import { type NewMem, newMem, saveAndCompare } from "../knowledge/memory/save.ts"
import { checked } from "../schemas/checked.ts"
import { anchor as anchorSchema, memKind } from "../schemas/knowledge.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { withHive } from "./project/open-project.ts"
import { changeForPerson } from "./project/person-change.ts"
import type { CliCommand } from "./terminal/command.ts"
import { choiceOption, definedOnly } from "./terminal/options.ts"

interface RememberOptions extends Pick<NewMem, "kind" | "shelf"> {
  tag?: string[]
  evidence?: string[]
  task?: string
  anchor?: string
  priority?: "critical" | "high" | "medium" | "low"
}

/** Saves a mem for a person, or with `--anchor` a fact by key that survives compaction. */
export const command: CliCommand<RememberOptions> = {
  configure(remember: Command) {
    remember
      .argument("<text>", "the knowledge to keep for later sessions")
      .addOption(choiceOption("--kind <kind>", "the kind of knowledge (default: insight)", memKind.options))
      .option("--shelf <shelf>", "where it is kept (default: context)")
      .option("--tag <tags...>", "words to find it by")
      .option("--evidence <files...>", "files that it rests on: path, or path:line")
      .option("--task <id>", "the task that it came from")
      .addOption(
        remember
          .createOption("--anchor <key>", "keep it as an anchor of that name, which every session is shown")
          .conflicts(["kind", "shelf", "tag", "evidence", "task"]),
      )
      .addOption(
        choiceOption(
          "--priority <priority>",
          "with --anchor (default: medium)",
          anchorSchema.shape.priority.options,
        ),
      )
      .addHelpText("after", '\nExample: hivemind remember "Port 5432 is taken by CI" --kind fact')
  },

  run: (input) =>
    withHive(input, ({ hive }) =>
      changeForPerson(input, hive, "remember", async (caller) => {
        const [content = ""] = input.args
        const { kind, shelf, tag, evidence, task, anchor, priority } = input.options
        if (anchor !== undefined) {
          const saved = await saveAnchor(hive, caller, {
            key: anchor,
            value: content,
            ...(priority && { priority }),
          })
          return { data: { anchor: saved }, text: `Saved the anchor ${shorten(saved.key, 60)}.` }
        }
        const given = definedOnly({ kind, shelf, tags: tag, evidence, origin_task_id: task })
        const toSave = checked("The mem", newMem, { content, ...given })
        const { mem, replaced, conflicts } = await saveAndCompare(hive, caller, toSave)
        const lines = [
          `Saved ${shortId(mem.id)} (${mem.kind}).`,
          ...replaced.map((old) => `It replaces ${shortId(old.id)}: ${shorten(old.content)}`),
          ...conflicts.map((old) => `It may contradict ${shortId(old.id)}: ${shorten(old.content)}`),
        ]
        return { data: { mem, replaced, conflicts }, text: lines.join("\n") }
      }),
    ),
}
