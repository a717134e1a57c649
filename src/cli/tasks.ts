import type { Command } from "commander"
import { task as taskSchema } from "../schemas/task.ts"
import { listTasks, type TaskFilter, taskDetail } from "../views/look/tasks.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { styleFor } from "./terminal/style.ts"
import { taskDetailText, taskLines } from "./terminal/task-text.ts"

interface TasksOptions extends ListingOptions {
  status?: NonNullable<TaskFilter["status"]>
  plan?: string
  session?: string
}

/** The tasks of all plans, or one with its checkpoints, evidence and all that belongs to it. Reads only. */
export const tasksCommand: CliCommand<TasksOptions> = {
  configure(command: Command) {
    command
      .argument("[id]", "one task in full: its id, or the start of it")
      .addOption(
        command
          .createOption("--status <status>", "only those")
          .choices(["open", "over", ...taskSchema.shape.status.options]),
      )
      .option("--plan <id>", "only of that plan: its id, or the start of it")
      .option("--session <session>", "only those that this session took up: its stamp or id")
    addListingOptions(command).addHelpText("after", "\nExample: hivemind tasks --plan 1a2b3c4d --status open")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const [id] = input.args
      const { status, plan, session, find } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      if (id !== undefined) {
        const task = await taskDetail(hive, id)
        return { data: { project, task }, text: taskDetailText(task, style) }
      }
      const host = session === undefined ? undefined : await findHostId(hive, session)
      const paging = pagingOf(input.options)
      const page = listTasks(
        hive,
        {
          ...(status && { status }),
          ...(plan && { plan }),
          ...(host && { session: host }),
          ...(find && { words: find }),
        },
        paging,
      )
      const isFiltered = status || plan || session || find
      return listing(page, paging, {
        project,
        style,
        empty: isFiltered ? "No such task." : "There are no tasks yet: a plan brings them.",
        render: (task) => taskLines(task, style),
      })
    }),
}
