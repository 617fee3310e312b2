/** The page at `/`: the playground, and the dashboard at its hash routes. */
import { render } from "preact";
import { takeKeyFromAddress } from "./api/key.ts";
import { ignoreStrayDrops } from "./parts/drop-anywhere.ts";
import { App } from "./app.tsx";
import "./styles/site.css";

takeKeyFromAddress();
ignoreStrayDrops();
const main = document.querySelector("#main");
if (main === null) throw new Error("the page has no #main");
main.replaceChildren();
render(<App />, main);
