import { $tills, firstTill, loadTills } from '../../api/plans/tills.ts'

/** Shows a signed-in reader the prices of packs in the currency that is paid here, and says to each link which way to pay that is. */
export async function showPackPrices(packs: HTMLElement): Promise<void> {
  await loadTills()
  const till = firstTill($tills.get())
  if (!till) return
  for (const price of packs.querySelectorAll<HTMLElement>('[data-cny]'))
    if (till.currency === 'CNY') price.textContent = price.dataset.cny ?? ''
  for (const { dataset } of packs.querySelectorAll<HTMLElement>('[data-pack]')) Object.assign(dataset, till)
}
