// One stream for all tabs of a browser, or of those that show one tenant: its name says which. Each tab is a port; one that is gone is found out by its lock.
import { Feed } from "./data/feed.js";

const ports = new Set();
const feed = new Feed((message, port) => {
  if (port) port.postMessage(message);
  else for (const one of ports) one.postMessage(message);
}, globalThis.name.split(" ")[1]);

globalThis.onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data.type === "login") feed.loggedIn();
    if (data.type === "logout") feed.loggedOut();
    if (data.type === "bye") ports.delete(port);
    if (data.type === "snapshot") port.postMessage(feed.snapshot());
    if (data.type === "lock") navigator.locks.request(data.name, () => ports.delete(port));
  };
  port.postMessage(feed.snapshot());
};
feed.run();
