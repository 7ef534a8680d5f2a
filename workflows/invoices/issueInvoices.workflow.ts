import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface IssueInvoicesActivities {
  /** Issues and mails documents that are due. Returns whether more may be due. */
  issueInvoices(input: NoInput): Promise<boolean>
}

/** Steps of a run, so that its history stays short. */
const STEPS = 20

/** Issues the invoices and credit notes that are due. One run at a time, so that they are numbered in the order of the log. */
export const issueInvoices: Workflow<IssueInvoicesActivities> = {
  type: 'issueInvoices',
  async run({ activities }) {
    for (let step = 0; step < STEPS && (await activities.issueInvoices({})); step++);
  },
}
