import { buildSite } from './buildSite.mjs'
import { installMissing } from './install.mjs'

await installMissing()
await buildSite()
