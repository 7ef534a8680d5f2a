/** What an operator can order. */
export const DESK_KINDS = [
  'refund',
  'grant',
  'take',
  'suspend',
  'restore',
  'sign_out',
  'send_reset',
  'verify_email',
  'cancel_task',
  'take_down',
  'put_back',
  'release_task',
  'retry_task',
  'cancel_plan',
  'remove_factor',
  'change_address',
  'delete_account',
] as const
export type DeskKind = (typeof DESK_KINDS)[number]

/** What the subject of a kind is; a user by default. */
export const SUBJECTS: Readonly<Partial<Record<DeskKind, 'sale' | 'task'>>> = {
  refund: 'sale',
  cancel_task: 'task',
  take_down: 'task',
  put_back: 'task',
  release_task: 'task',
  retry_task: 'task',
}

/** Hours in which the person is warned and can stop an action before it is carried out. */
export const WAIT_HOURS: Readonly<Partial<Record<DeskKind, number>>> = {
  remove_factor: 24,
  change_address: 24,
  delete_account: 7 * 24,
}

/** Kinds with an amount: credits, or cents of a refund. */
export const hasAmount = (kind: DeskKind): boolean => kind === 'refund' || kind === 'grant' || kind === 'take'
