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
] as const
export type DeskKind = (typeof DESK_KINDS)[number]

/** What the subject of a kind is; a user by default. */
export const SUBJECTS: Readonly<Partial<Record<DeskKind, 'sale' | 'task'>>> = {
  refund: 'sale',
  cancel_task: 'task',
  take_down: 'task',
  put_back: 'task',
}

/** Kinds with an amount: credits, or cents of a refund. */
export const hasAmount = (kind: DeskKind): boolean => kind === 'refund' || kind === 'grant' || kind === 'take'
