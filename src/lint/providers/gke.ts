import type { Provider } from './provider.ts'

/** Source: refusals of GKE's webhook in the trackers of kubernetes-sigs projects. */
export const GKE: Provider = {
  name: 'GKE',
  // No FlowSchema or level of GKE's own is known.
  objects: [],
  notes: [
    'the webhook flowcontrol-guardrails.common-webhooks.networking.gke.io refuses FlowSchemas whose level does not exist yet: apply the level first',
  ],
}
