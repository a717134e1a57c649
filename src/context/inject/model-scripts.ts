import * as z from "zod"
import {
  addSums,
  type CountedText,
  isCheap,
  type ScriptSum,
  scriptSumOf,
} from "../../shared/text/shown-scripts.ts"
import { type Vocabulary, vocabularyOf } from "../../shared/text/tokens.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import { jsonLines } from "../../store/files/json-lines.ts"
import type { HivePaths } from "../../store/files/layout.ts"

/** A model's answer with the token count that the provider reported. */
export interface WrittenAnswer extends CountedText {
  model: string
}

const shown = z.strictObject({ model: z.string(), script: z.string(), cheap: z.boolean() })

/**
 * Learns from a model's answers which scripts its vocabulary encodes cheaply, if its name does not say. Counting safely for
 * any vocabulary would leave most of the budget unused in some scripts. Kept in `paths.vocabularies`.
 */
export function modelScripts(paths: HivePaths, onError: (what: string, error: unknown) => void) {
  const file = jsonLines(paths.vocabularies)
  const sums = new Map<string, ScriptSum>()
  let cheap: Map<string, Set<string>> | undefined

  function load(): Map<string, Set<string>> {
    if (cheap !== undefined) return cheap
    cheap = new Map()
    try {
      for (const line of file.read()) {
        const { data } = shown.safeParse(line)
        if (data !== undefined) note(cheap, data)
      }
    } catch (error) {
      onError("could not read the vocabularies of the models", error)
    }
    return cheap
  }

  function learn({ model, ...answer }: WrittenAnswer): void {
    if (vocabularyOf(model) !== "any") return
    const fresh = scriptSumOf(answer)
    if (fresh === undefined) return
    const { script } = fresh
    const key = `${model} ${script}`
    const sum = addSums(sums.get(key), fresh)
    const verdict = isCheap(sum)
    sums.set(key, sum)
    // Start over: the name may come to stand for another model.
    if (verdict !== undefined) sums.delete(key)
    const isKnownCheap = load().get(model)?.has(script) ?? false
    if (verdict === undefined || verdict === isKnownCheap) return
    note(load(), { model, script, cheap: verdict })
    // A message alone creates no graph.
    if (existsSync(paths.graph)) file.append([{ model, script, cheap: verdict }])
  }

  return {
    vocabularyOf(model: string | undefined): Vocabulary {
      const known = vocabularyOf(model)
      return known === "any" && model !== undefined ? (load().get(model) ?? known) : known
    },
    learn(answers: readonly WrittenAnswer[]): void {
      try {
        for (const answer of answers) learn(answer)
      } catch (error) {
        onError("could not save the vocabulary of a model", error)
      }
    },
  }
}

function note(cheap: Map<string, Set<string>>, { model, script, cheap: isSo }: z.infer<typeof shown>): void {
  const scripts = cheap.get(model) ?? new Set()
  if (isSo) cheap.set(model, scripts.add(script))
  else scripts.delete(script)
}
