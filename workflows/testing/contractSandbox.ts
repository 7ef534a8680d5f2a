import { host } from '../temporal/host.ts'
import { CONTRACT_WORKFLOWS, contractPolicies } from './contractWorkflows.ts'

/** Entry of the bundle with the contract's workflows. */
export default host(CONTRACT_WORKFLOWS, contractPolicies)
