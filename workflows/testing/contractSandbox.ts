import { host } from '../temporal/host.ts'
import { CONTRACT_WORKFLOWS, contractPolicies } from './contractWorkflows.ts'

/** Entry point of the bundle with the contract suite's workflows. */
export default host(CONTRACT_WORKFLOWS, contractPolicies)
