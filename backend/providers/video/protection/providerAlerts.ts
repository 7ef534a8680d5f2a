import type { Protection } from './protectedCalls.ts'

/** Returns the alerts of one provider: its name follows each code, so that providers do not clear each other's alerts. */
export const alertsOf = (alerts: Protection['alerts'], name: string): Protection['alerts'] => ({
  raise: (code, detail) => alerts.raise(`${code} ${name}`, detail),
  clear: (code) => alerts.clear(`${code} ${name}`),
})
