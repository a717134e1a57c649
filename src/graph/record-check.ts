import { firstIssue } from "../schemas/first-issue.ts"
import { type Kind, type RecordOf, recordSchemas } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"

/** The record as its schema has it, or a refusal that names the field and the rule. */
export function checkRecord<K extends Kind>(kind: K, record: unknown): RecordOf<K> {
  const parsed = recordSchemas[kind].safeParse(record)
  if (parsed.success) return parsed.data as RecordOf<K>
  const issue = parsed.error.issues[0]
  const field = issue?.path.map(String).join(".") || kind
  throw new HiveError({
    code: "invalid_record",
    what: `The ${kind} was not written: field "${field}" is not valid.`,
    why: firstIssue(parsed.error),
    use_instead: `Correct "${field}" and try again.`,
    evidence: `${kind}.${field}, rule ${issue?.code ?? "unknown"}`,
  })
}
