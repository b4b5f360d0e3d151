import { mount } from 'svelte'
import App from './App.svelte'
import { keptVersion } from './offline/kept'
import './fonts.css'
import './theme.css'
import './app.css'

mount(App, { target: document.getElementById('app')! })

// After the page is there: what it keeps for times without a server must not slow it down.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  addEventListener('load', () => void navigator.serviceWorker.register('/worker.js').catch(() => {}))
}
if (keptVersion() !== null) {
  addEventListener('load', () => void import('./offline/keep').then(({ renew }) => renew()).catch(() => {}))
}
