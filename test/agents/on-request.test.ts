import { it } from "vitest"

it.skip("Claude Code, Codex CLI and Gemini CLI are tested by `npm run test:agents`, which downloads them", () => {})
