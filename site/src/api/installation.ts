/** Returns whether this installation sells plans. Only for scripts that run in the browser. */
export const hasPlans = (): boolean => document.documentElement.dataset.plans !== 'off'
