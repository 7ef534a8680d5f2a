/** Alerts the operator to problems that only the operator can solve. */
export interface ProviderAlerts {
  raise(code: string, detail: string): Promise<void>
  clear(codes: string | readonly string[]): Promise<void>
}

export const UNREACHABLE = 'video_provider_unreachable'
export const KEY_REFUSED = 'video_provider_key_refused'
export const ACCOUNT_EMPTY = 'video_provider_account'
/** The engine serves models of which nobody knows whether they make videos. */
export const MODELS_UNKNOWN = 'video_models_unknown'
export const PROVIDER_ALERTS: readonly string[] = [UNREACHABLE, KEY_REFUSED, ACCOUNT_EMPTY]

/** Returns the alerts of one provider: its name follows each code, so that providers do not clear each other's alerts. */
export const alertsOf = (alerts: ProviderAlerts, name: string): ProviderAlerts => ({
  raise: (code, detail) => alerts.raise(`${code} ${name}`, detail),
  clear: (codes) => alerts.clear([codes].flat().map((code) => `${code} ${name}`)),
})

/** Returns the provider that raised an alert, or undefined if none did. MiniMax's codes have no name. */
export function providerOfAlert(alert: string): string | undefined {
  const [code, name = 'minimax'] = alert.split(' ')
  return PROVIDER_ALERTS.includes(code ?? '') ? name : undefined
}
