import { render } from "preact"
import { App } from "./shell/app.tsx"
import { followProject } from "./shell/follow.ts"
import { applyTheme } from "./shell/frame.tsx"
import { readKeys } from "./shell/keys.ts"

applyTheme()
readKeys()
followProject()
render(<App />, document.body)
