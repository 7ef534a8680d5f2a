import { POLICIES, WORKFLOWS } from '../all.ts'
import { host } from './host.ts'

/** Entry of the bundle. Temporal runs workflows of every type with the default export. */
export default host(WORKFLOWS, POLICIES)
