// A CommonJS module that @grafana/ui imports by name.
import library from "../node_modules/react-custom-scrollbars-2/lib/index.js";
export const Scrollbars = library.Scrollbars || library.default || library;
export default Scrollbars;
